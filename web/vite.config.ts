// Builds index.html and src/ into the single file dist/report.html.
import { defineConfig } from "vite";
import { singleFile } from "./build/single-file";

export default defineConfig({
  base: "./",
  plugins: [singleFile("report.html")],
  build: {
    target: "es2020",
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
});

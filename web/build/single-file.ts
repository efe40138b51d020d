// A Vite plugin: puts the bundle's script and style into the page, the notices of the bundled packages behind them, and
// leaves that one file, under the name given, with the notices once more beside it.
import type { Plugin } from "vite";
import { packages_of, third_party_notice } from "./third-party";

// What the bundler does not name among the modules: the typeface reaches the style as text, internmap is a part of
// d3-array's file.
const unseen_packages = ["@fontsource-variable/inter", "internmap"];

export function singleFile(name: string): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      let page = "";
      const modules: string[] = [];
      for (const [file, output] of Object.entries(bundle)) {
        if (output.type === "chunk") {
          script += output.code;
          modules.push(...Object.keys(output.modules));
        } else if (file.endsWith(".css")) {
          style += String(output.source);
        } else if (file.endsWith(".html")) {
          page = String(output.source);
        } else {
          this.error(`${file} cannot be put into one page`);
        }
        delete bundle[file];
      }
      const notice = third_party_notice([...packages_of(modules), ...unseen_packages]);
      page = page
        .replace(/<script type="module"[^>]*><\/script>\s*/g, "")
        .replace(/<link rel="stylesheet"[^>]*>\s*/g, "")
        .replace("</head>", () => `<style>\n${style.trim()}\n</style>\n</head>`)
        .replace("</body>", () => `<script type="module">\n${harmless(script.trim())}\n</script>\n</body>`)
        .replace("</html>", () => `</html>\n<!--\n${notice.replace(/-{2,}/g, "-")}\n-->`);
      this.emitFile({ type: "asset", fileName: name, source: page });
      this.emitFile({ type: "asset", fileName: "third-party.txt", source: `${notice}\n` });
    },
  };
}

// A script element ends at the first of these, whatever the script means by it.
function harmless(script: string): string {
  return script.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
}

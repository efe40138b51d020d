// Data that are not vectors, end to end: sequences, graphs, texts, sets.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class Objects : public CliTest {
 protected:
  // Sequences of two kinds that single letters do not tell apart.
  std::string write_sequences(const std::string& name) const {
    std::string text;
    for (int i = 0; i < 20; ++i) {
      const std::string unit = i % 2 == 0 ? "ACGT" : "TGCA";
      text +=
          ">s" + std::to_string(i) + " chr=" + std::to_string(i % 3) + ", label=" + (i % 2 == 0 ? "1" : "-1") + "\n";
      for (int k = 0; k <= i % 5 + 3; ++k) {
        text += unit + (k % 2 == 0 ? "\n" : "");
      }
      text += "\n";
    }
    return write(name, text);
  }
  void write_text(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    write(name, content);
  }
};

TEST_F(Objects, SequencesAreFittedScoredTunedAndPredicted) {
  const std::string data = write_sequences("s.fasta");
  const std::string model = path("m.mercer");
  const Outcome fit = run({"fit", "svc", data, "-t", "label", "-k", "spectrum(k=3)", "-o", model, "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(parse(fit.out)["scaling"], "none");
  EXPECT_EQ(parse(fit.out)["n"], 20);
  const Outcome score = run({"score", model, data, "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  const std::string fresh = write("new.fa", ">q\nACGTACGTACGT\n>r\nTGCATGCATGCA\n");
  EXPECT_EQ(run({"predict", model, fresh}).out, "label\n1\n-1\n");
  // The same from a column of a table, and from lines.
  const std::string table = write("new.csv", "sequence\nACGTACGTACGT\nTGCATGCATGCA\n");
  EXPECT_EQ(run({"predict", model, table, "--header"}).out, "label\n1\n-1\n");
  const std::string lines = write("new.txt", "ACGTACGTACGT\nTGCATGCATGCA\n");
  EXPECT_EQ(run({"predict", model, lines, "--format", "lines"}).out, "label\n1\n-1\n");
  EXPECT_EQ(run({"predict", model, lines}).out, "label\n1\n-1\n");
  const Outcome tune = run({"tune", "svc", data, "-t", "label", "-k", "spectrum(k=3)", "-s", "C=1|10", "--groups",
                            "chr", "--folds", "3", "-o", path("t.mercer"), "--json"});
  ASSERT_EQ(tune.code, 0) << tune.err;
  const Outcome gram = run({"gram", "spectrum(k=3)", data, "-o", path("K.npy")});
  ASSERT_EQ(gram.code, 0) << gram.err;
  EXPECT_TRUE(exists("K.npy"));
}

TEST_F(Objects, AKernelMustFitTheSamples) {
  const std::string data = write_sequences("s.fasta");
  const Outcome none = run({"fit", "svc", data, "-t", "label"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("spectrum(k=3)"), std::string::npos) << none.err;
  const Outcome vectors = run({"fit", "svc", data, "-t", "label", "-k", "rbf(gamma=1)"});
  EXPECT_EQ(vectors.code, 1);
  EXPECT_NE(vectors.err.find("strings"), std::string::npos) << vectors.err;
  EXPECT_EQ(run({"fit", "svc", data, "-t", "lable", "-k", "spectrum(k=3)"}).code, 3);
  EXPECT_EQ(listing(), (std::vector<std::string>{"s.fasta"}));
}

TEST_F(Objects, FoldersOfTextsAndOfGraphs) {
  for (const char* word : {"one", "two", "three"}) {
    write_text("texts/fruit/" + std::string(word), std::string("apples and pears ") + word);
    write_text("texts/tools/" + std::string(word), std::string("hammers and saws ") + word);
  }
  const Outcome texts = run({"fit", "svc", path("texts/"), "-k", "spectrum(k=3)", "-o", path("t.mercer")});
  ASSERT_EQ(texts.code, 0) << texts.err;
  write_text("new/a", "a pear");
  write_text("new/b", "a hammer");
  EXPECT_EQ(run({"predict", path("t.mercer"), path("new")}).out, "class\nfruit\ntools\n");
  // Triangles and paths.
  std::string edges;
  std::string indicator;
  std::string labels;
  for (int g = 0; g < 8; ++g) {
    const auto vertex = [&](int v) { return std::to_string(3 * g + v); };
    edges += vertex(1) + ", " + vertex(2) + "\n" + vertex(2) + ", " + vertex(3) + "\n";
    edges += g % 2 == 0 ? vertex(1) + ", " + vertex(3) + "\n" : "";
    for (int v = 0; v < 3; ++v) {
      indicator += std::to_string(g + 1) + "\n";
    }
    labels += g % 2 == 0 ? "1\n" : "-1\n";
  }
  write_text("G/G_A.txt", edges);
  write_text("G/G_graph_indicator.txt", indicator);
  write_text("G/G_graph_labels.txt", labels);
  const Outcome fit = run({"fit", "svc", path("G"), "-k", "weisfeiler_lehman()", "-o", path("g.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome predict = run({"predict", path("g.mercer"), path("G/G_A.txt")});
  EXPECT_EQ(predict.out, "graph_label\n1\n-1\n1\n-1\n1\n-1\n1\n-1\n") << predict.err;
}

// Weights that single precision, in which models keep their centers, does not hold; nodes 2 and 3 have the same neighbors.
TEST_F(Objects, NodesOfTheTrainingFileAreKnownAgain) {
  const std::string data = write("w.csv", "0,0.1,0.3,0.3,a\n0.1,0,0,0,a\n0.3,0,0,0,b\n0.3,0,0,0,b\n");
  for (const char* model : {"svc", "lssvm"}) {
    const Outcome fit = run({"fit", model, data, "--no-header", "--target", "-1", "-k", "diffusion()", "--scale",
                             "none", "-o", path("m.mercer")});
    ASSERT_EQ(fit.code, 0) << fit.err;
    const Outcome predict = run({"predict", path("m.mercer"), data, "--no-header"});
    EXPECT_EQ(predict.code, 0) << predict.err;
  }
}

TEST_F(Objects, LabelsThatAreArraysAreRefused) {
  const Outcome fit = run({"fit", "svc", write("a.jsonl", "{\"x\":1,\"y\":\"a\"}\n{\"x\":2,\"y\":\"b\"}\n"), "-t", "y",
                           "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const std::string hostile = write("b.jsonl", "{\"x\":1,\"y\":[]}\n{\"x\":2,\"y\":[]}\n");
  const Outcome score = run({"score", path("m.mercer"), hostile});
  EXPECT_EQ(score.code, 3);
  EXPECT_TRUE(contains(score.err, "b.jsonl:1: key 'y'")) << score.err;
  EXPECT_EQ(run({"predict", path("m.mercer"), hostile}).out, "y\na\nb\n");
}

TEST_F(Objects, SetsOfWordsKeepTheirNumbersInTheModel) {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += i % 2 == 0 ? "{\"tags\": [\"red\", \"round\", \"n" + std::to_string(i) + "\"], \"y\": \"ball\"}\n"
                       : "{\"y\": \"box\", \"tags\": [\"square\", \"blue\", \"n" + std::to_string(i) + "\"]}\n";
  }
  const Outcome fit =
      run({"fit", "svc", write("a.jsonl", text), "-t", "y", "-k", "tanimoto()", "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const std::string fresh =
      write("b.jsonl", "{\"tags\": [\"never seen\", \"blue\", \"square\"]}\n{\"tags\": [\"round\"]}\n");
  EXPECT_EQ(run({"predict", path("m.mercer"), fresh}).out, "y\nbox\nball\n");
  const std::string table = write("b.csv", "tags,other\nnew|square;blue,1\nround,2\n");
  EXPECT_EQ(run({"predict", path("m.mercer"), table}).out, "y\nbox\nball\n");
}

}  // namespace
}  // namespace mercer::cli_test

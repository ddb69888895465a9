// The worker in which a chapter runs: Pyodide, the book's files, and the cells one after the other.
//
// It is a function, and the page starts its text: from a file a browser starts no worker by its address. The worker
// asks for nothing itself. The page hands it all files: { files: { name: bytes }, packages }, and gets { ready };
// then { number, source } gives { number, seconds, text, said, pictures, error }.
"use strict";

BookRun.worker = function worker() {
  const TYPES = { wasm: "application/wasm", json: "application/json", js: "text/javascript" };
  let cells = null;

  async function start({ files, packages }) {
    self.fetch = async (address) => {
      const name = String(address.url ?? address).split("/").pop();
      if (!(name in files)) throw new TypeError(`${name} is not among the files of this page`);
      return new Response(files[name], { headers: { "content-type": TYPES[name.split(".").pop()] ?? "application/zip" } });
    };
    for (const name of ["pyodide.asm.js", "pyodide.js"]) {
      importScripts(URL.createObjectURL(new Blob([files[name]], { type: TYPES.js })));
    }
    const python = await loadPyodide({ indexURL: "https://pyodide.invalid/" });
    await python.loadPackage(packages, { messageCallback: () => {} });
    for (const name of Object.keys(files).filter((one) => /^(book|prose)\.zip$/.test(one))) {
      python.unpackArchive(files[name], "zip", { extractDir: "/book" });
    }
    python.runPython("import sys; sys.path.insert(0, '/book')");
    cells = python.pyimport("cells");
    cells.prepare();
    self.postMessage({ ready: true });
  }

  self.onmessage = async ({ data }) => {
    try {
      if (data.files) return await start(data);
      const begin = performance.now(), done = JSON.parse(cells.run(data.source, `cell ${data.number}`));
      return self.postMessage({ number: data.number, seconds: (performance.now() - begin) / 1000, ...done });
    } catch (error) {
      return self.postMessage({ number: data.number, failed: String(error.message ?? error) });
    }
  };
};

"use strict";
// The module that the page carries, unpacked once, and engines made of it.
const unpacked = (async () => {
  const text = document.getElementById("module").textContent;
  const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
})();
const workerAddress = URL.createObjectURL(new Blob([document.getElementById("worker").textContent], {type: "text/javascript"}));

// An engine that answers one question at a time. Of questions that wait, the newest is asked; the others are answered with nothing. One that takes too
// long while another waits is given up.
const PATIENCE_MS = 2000;
class Engine {
  #worker = null;
  #now = null;
  #next = null;
  #count = 0;
  async #begin() {
    this.#worker = new Worker(workerAddress);
    this.#worker.onmessage = ({data}) => this.#end(data);
    this.#worker.postMessage({bytes: await unpacked});
  }
  ask(question) {
    return new Promise(done => {
      if (this.#next) this.#next.done(null);
      this.#next = {question, done};
      if (!this.#now) this.#go();
      else setTimeout(() => this.#give(), PATIENCE_MS);
    });
  }
  async #go() {
    const now = this.#now = this.#next;
    this.#next = null;
    if (!now) return;
    now.began = performance.now();
    now.id = ++this.#count;
    if (!this.#worker) await this.#begin();
    this.#worker.postMessage({id: now.id, question: now.question});
  }
  #end({id, answer, numbers, ms}) {
    if (!this.#now || id !== this.#now.id) return;
    this.#now.done({answer, numbers, ms});
    this.#go();
  }
  // A question that has taken too long makes room for the one that waits.
  #give() {
    if (!this.#now || !this.#next || performance.now() - this.#now.began < PATIENCE_MS) return;
    this.#worker.terminate();
    this.#worker = null;
    this.#now.done(null);
    this.#go();
  }
}

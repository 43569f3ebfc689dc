"use strict";
// The engine in a thread of its own: a question comes in, an answer and numbers go out.
let engine = null;
let bytes = null;
const begin = async () => { engine = (await WebAssembly.instantiate(bytes, {})).instance.exports; };
function ask(question) {
  const text = new TextEncoder().encode(JSON.stringify(question));
  const place = engine.question(text.length);
  new Uint8Array(engine.memory.buffer, place, text.length).set(text);
  engine.ask();
  const said = new Uint8Array(engine.memory.buffer, engine.answer(), engine.answer_length());
  const numbers = new Float64Array(engine.memory.buffer, engine.numbers(), engine.numbers_length()).slice();
  return [JSON.parse(new TextDecoder().decode(said)), numbers];
}
onmessage = async ({data}) => {
  if (data.bytes) {
    bytes = data.bytes;
    await begin();
    return;
  }
  if (!engine) await begin();
  const began = performance.now();
  let answer, numbers = new Float64Array(0);
  try {
    [answer, numbers] = ask(data.question);
  } catch (error) {
    // What stopped the engine leaves nothing that could go on.
    answer = {error: "the engine has stopped (" + error.message + "); these settings are a mistake of it, please report them"};
    await begin();
  }
  postMessage({id: data.id, answer, numbers, ms: performance.now() - began}, [numbers.buffer]);
};

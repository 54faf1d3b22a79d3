/**
 * A line on standard error that is rewritten while long work runs. Where standard error is no terminal nothing is written, so
 * that logs and pipes stay clean.
 */
export function progressLine(stream = process.stderr) {
  if (!stream.isTTY) return { show() {}, clear() {} };
  const clear = () => stream.write('\r\u001B[K');
  return {
    show(text) {
      clear();
      stream.write(text.slice(0, (stream.columns ?? 80) - 1));
    },
    clear,
  };
}

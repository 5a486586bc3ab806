// Browsers start no worker from a file on disk. The search then runs in a hidden frame, by the same messages. The name of
// this file tells the theme that it need not load such a script from the net.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.frame = frame;
      this.scope = frame.contentWindow;
      this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.scope.importScripts = (...urls) => urls.reduce((done, next) => done.then(() => this.load(next)), Promise.resolve());
      this.ready = this.load(url);
    }

    load(url) {
      const script = this.frame.contentDocument.createElement("script");
      script.src = new URL(url, location.href);
      const loaded = new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }));
      this.frame.contentDocument.head.append(script);
      return loaded;
    }

    postMessage(data) {
      this.ready.then(() => this.scope.dispatchEvent(new this.scope.MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}

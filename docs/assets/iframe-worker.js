/* SPDX-License-Identifier: MIT */
/* Browsers start no worker from a page on disk.  There, a frame runs the script instead; the theme's search starts its worker by this. */
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.documentElement.appendChild(frame);
      this.inner = frame.contentWindow;
      this.waiting = [];
      const inner = this.inner.document;
      inner.open();
      this.inner.answer = data => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inner.ready = () => {
        this.isReady = true;
        this.waiting.splice(0).forEach(data => this.postMessage(data));
      };
      inner.write(
        "<!doctype html><title>search</title><script>" +
          "window.postMessage = data => answer(data);" +
          "window.importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise(done => {" +
          "const script = document.createElement('script'); script.src = url; script.onload = done;" +
          "document.documentElement.appendChild(script); })), Promise.resolve());" +
          "<\/script><script src=\"" + new URL(url, location) + "\" onload=\"ready()\"><\/script>"
      );
      inner.close();
    }
    set onmessage(call) {
      this.addEventListener("message", call);
    }
    postMessage(data) {
      if (this.isReady) this.inner.dispatchEvent(new MessageEvent("message", { data }));
      else this.waiting.push(data);
    }
    terminate() {}
  };

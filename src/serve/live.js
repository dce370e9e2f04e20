// The preview's script: findings in the page, and a reload when what the page is made of has changed.
(function () {
  "use strict";
  var me = document.currentScript.src, root = new URL("..", me).href, KEY = "labdoc-scroll";
  var here = decodeURIComponent(location.href.split(/[?#]/)[0].slice(root.length)) || "index.html";
  if (here.slice(-1) === "/") here += "index.html";
  try {
    var kept = JSON.parse(sessionStorage.getItem(KEY) || "null");
    sessionStorage.removeItem(KEY);
    if (kept && kept.page === here) window.addEventListener("load", function () { window.scrollTo({ top: kept.y, behavior: "instant" }); });
  } catch (e) { /* no storage here */ }
  function reload() {
    try { sessionStorage.setItem(KEY, JSON.stringify({ page: here, y: window.scrollY })); } catch (e) { /* then it starts at the top */ }
    location.reload();
  }
  function show(news) {
    var box = document.querySelector("aside.labdoc-findings");
    if (box) box.remove();
    if (!news.findings.length) return;
    box = document.createElement("aside");
    box.className = "labdoc-findings callout " + (news.errors ? "caution" : "warning");
    box.setAttribute("role", "status");
    news.findings.forEach(function (text) { var pre = document.createElement("pre"); pre.textContent = text; box.appendChild(pre); });
    var main = document.querySelector("main article") || document.body;
    main.insertBefore(box, main.firstChild);
  }
  var seen = null, events = new EventSource(new URL("events", me).href);
  events.addEventListener("build", function (e) {
    var news = JSON.parse(e.data);
    if (seen !== null && news.version !== seen) {
      var own = news.changed.some(function (path) { return path === here || (/\.(css|js)$/.test(path) && path.indexOf("search/") !== 0) || /\.(png|jpe?g|gif|webp|avif|svg)$/.test(path); });
      if (own || news.all || !document.querySelector("main")) { events.close(); reload(); return; }
    } else if (seen === null && !document.querySelector("main") && !news.errors && news.version > 0) { events.close(); reload(); return; }
    seen = news.version;
    show(news);
  });
  window.addEventListener("pagehide", function () { events.close(); });
})();

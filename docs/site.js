// Tables that scroll can be scrolled by keyboard, too. The theme wraps tables after it has loaded.
const reach = () => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) table.tabIndex = 0;
};
reach();
new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");

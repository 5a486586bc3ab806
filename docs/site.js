// Tables that scroll can be scrolled by keyboard, too.
for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0;

// Before the first paint: the theme that was chosen last, if one was.
const chosen = localStorage.getItem("theme");
if (chosen) document.documentElement.dataset.theme = chosen;

// Before anything is painted: the theme that was chosen, if one was.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("foreword.theme");
  } catch {
    // A browser that keeps nothing follows the system.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();

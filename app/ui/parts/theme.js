// Light, dark, or as the system has it; told to theme.js of the next visit.
const NAME = "foreword.theme";
const ORDER = ["system", "light", "dark"];

export const themeName = () => document.documentElement.dataset.theme || "system";

export function nextTheme() {
  const next = ORDER[(ORDER.indexOf(themeName()) + 1) % ORDER.length];
  if (next === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(NAME);
  } else {
    document.documentElement.dataset.theme = next;
    localStorage.setItem(NAME, next);
  }
  return next;
}

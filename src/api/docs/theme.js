// Applies the theme that was chosen in the console, before the first paint.
try {
  const theme = localStorage.getItem('switchboard.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // The browser may forbid storage. The system's theme applies then.
}

export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M9 10h5c6 0 3 12 9 12" />
    <circle cx="9" cy="22" r="2" />
    <circle cx="23" cy="10" r="2" />
  </svg>
)

/** Keys that are pressed one after the other. */
export const Keys = ({ keys }: { readonly keys: readonly string[] }) => (
  <span class="keys">
    {keys.map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
)

/** Bars without axes that show a recent trend. `label` describes it for screen readers. */
export const Sparkline = ({
  values,
  label,
}: {
  readonly values: readonly number[]
  readonly label: string
}) => {
  const highest = Math.max(...values, 1)
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length} 100`}
      preserveAspectRatio="none"
    >
      {values.map((value, index) => {
        const height = value === 0 ? 2 : Math.max((value / highest) * 100, 6)
        return (
          <rect
            key={index}
            class={value === 0 ? 'none' : undefined}
            x={index + 0.15}
            y={100 - height}
            width={0.7}
            height={height}
          />
        )
      })}
    </svg>
  )
}

import { useEffect, useState } from 'preact/hooks'

/** Cameras need four light modules around the code. */
const QUIET = 4

interface Drawing {
  readonly size: number
  readonly path: string
}

/** The QR library is loaded on first use. Always dark on light, because many cameras read nothing else. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const [drawing, setDrawing] = useState<Drawing>()
  useEffect(() => {
    let isWanted = true
    // If the library cannot be loaded, the operator can still type the seed.
    draw(text).then(
      (drawn) => isWanted && setDrawing(drawn),
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [text])
  const side = (drawing?.size ?? 0) + 2 * QUIET
  return (
    <div class="qr-code">
      {drawing && (
        <svg viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`} role="img" aria-label={label}>
          <path d={drawing.path} />
        </svg>
      )}
    </div>
  )
}

async function draw(text: string): Promise<Drawing> {
  const { generate } = await import('lean-qr')
  const code = generate(text)
  const rows = Array.from({ length: code.size }, (_, y) => y)
  const path = rows.flatMap((y) => rows.filter((x) => code.get(x, y)).map((x) => `M${x} ${y}h1v1h-1z`))
  return { size: code.size, path: path.join('') }
}

// The package has no types: what is used of it.
declare module 'subset-font' {
  type Axis = number | { readonly min: number; readonly max: number }
  function subsetFont(
    font: Uint8Array,
    text: string,
    options: {
      readonly targetFormat: 'woff2'
      readonly keepFeatures: readonly string[]
      readonly variationAxes: Readonly<Record<string, Axis>>
      readonly noHinting: boolean
    },
  ): Promise<Uint8Array>
  export = subsetFont
}

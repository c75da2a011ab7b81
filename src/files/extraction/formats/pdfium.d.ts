declare module '@embedpdf/pdfium/pdfium.wasm' {
  /** Where the module is found, in the executable too. */
  const path: string
  export default path
}

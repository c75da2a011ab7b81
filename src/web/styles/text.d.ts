/** A style sheet that is read as text. */
declare module '*.css' {
  const text: string
  export default text
}

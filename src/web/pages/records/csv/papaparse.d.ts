/** The browser build. The other build requires Node streams, which the bundle lacks. */
declare module 'papaparse/papaparse.min.js' {
  import Papa from 'papaparse'
  export default Papa
}

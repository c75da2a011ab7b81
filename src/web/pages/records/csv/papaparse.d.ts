/** The build for browsers: bundled into the executable, the other one would ask for the streams of Node. */
declare module 'papaparse/papaparse.min.js' {
  import Papa from 'papaparse'
  export default Papa
}

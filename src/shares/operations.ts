export { formWrite } from './forms/form.ts'
export { fileNamedQuery, noteQuery } from './pages/notes.ts'
export { rowsQuery } from './pages/rows.ts'
export { filePartQuery } from './pages/rows-files.ts'

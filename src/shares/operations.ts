export { formWrite } from './forms/write.ts'
export { fileNamedQuery, noteQuery } from './pages/notes.ts'

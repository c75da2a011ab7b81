export { importedQuery, importNotesTask } from './vault/from-browser/service.ts'

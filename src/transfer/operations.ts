export {
  finishImportedFile,
  importIds,
  importNotes,
  readImported,
  reserveFile,
} from './vault/from-browser/service.ts'
export { undoImport } from './vault/from-browser/undo.ts'

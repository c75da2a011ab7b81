export {
  finishImportedFile,
  importIds,
  importNotes,
  readImported,
  recognizeFolder,
  reserveFile,
} from './vault/from-browser/service.ts'
export { undoImport } from './vault/from-browser/undo.ts'

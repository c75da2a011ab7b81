export {
  finishImportedFile,
  importIds,
  importNotes,
  readImported,
  recognizeFolder,
  reserveFile,
} from './vault/from-browser/service.ts'
export { importTable, previewTable } from './vault/from-browser/tables.ts'
export { undoImport } from './vault/from-browser/undo.ts'

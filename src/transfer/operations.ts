export {
  finishImportedFile,
  importIds,
  importNotes,
  readImported,
  reserveFile,
} from './vault/from-browser/service.ts'

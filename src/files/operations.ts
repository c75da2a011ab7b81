export { finishFile, startFile, storePart } from './new-file.ts'
export { searchFiles } from './search.ts'
export { deleteFile, listAllFiles, listFilesOfNote, readFile, renameFile } from './service.ts'

export { deleteTag, findTagUsage, readTag } from './deletion.ts'
export { setTagLinks } from './links.ts'
export { listTags, patchTag } from './service.ts'

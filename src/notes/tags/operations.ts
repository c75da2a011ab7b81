export { setTagLinks } from './links.ts'
export { listTags, patchTag } from './service.ts'

import { type Answer, api } from './api.ts'
import { invalidate } from './cache.ts'
import { request } from './request.ts'
import { useQuery } from './use-query.ts'

export type StoredFile = Answer<'/v1/files', 'get'>['files'][number]
export type FileWithOutline = Answer<'/v1/files/{id}', 'get'>['file']

/** How often to refetch while the server extracts the text of a file, which takes seconds. */
const SOON_MS = 1_000

const isProcessing = (file: { status: string } | undefined) => file?.status === 'processing'

/** All files, newest first. */
export const useFiles = () =>
  useQuery(['file note'], async ({ signal }) => (await api.get('/v1/files', { signal })).files.toReversed(), {
    refetchInterval: ({ state }) => (state.data?.some(isProcessing) ? SOON_MS : false),
  })

export const useFile = (id: string) =>
  useQuery(
    ['file note', id],
    async ({ signal }) => (await api.get('/v1/files/{id}', { params: { id }, signal })).file,
    { refetchInterval: ({ state }) => (isProcessing(state.data) ? SOON_MS : false) },
  )

/** Matching pages and names of files. */
export const useFoundPages = (q: string, limit: number) =>
  useQuery(['file', 'search', q, limit], ({ signal }) =>
    api.get('/v1/files/search', { query: { q, limit }, signal }),
  )

export const useFileText = (id: string, pages: string) =>
  useQuery(['file', id, 'text', pages], ({ signal }) =>
    api.get('/v1/files/{id}/text', { params: { id }, query: { pages }, signal }),
  )

export async function renameFile(id: string, name: string): Promise<void> {
  await api.patch('/v1/files/{id}', { params: { id }, body: { file_name: name } })
  await invalidate(new Set(['file']))
}

export async function deleteFile(id: string): Promise<void> {
  await request('DELETE', `/app/api/files/${id}`)
  await invalidate(new Set(['file']))
}

export const contentOf = (id: string): string => `/v1/files/${id}/content`

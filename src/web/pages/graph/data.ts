import { useEffect, useState } from 'preact/hooks'
import { type Answer, api } from '../../data/api.ts'
import { useQuery } from '../../data/use-query.ts'
import { startWorker } from '../../data/worker.ts'
import type { LayoutRequest, LayoutResponse } from './layout.ts'

export type Graph = Answer<'/v1/graph', 'get'>
export type GraphNode = Graph['nodes'][number]

export const useLenses = () => useQuery(['lens'], ({ signal }) => api.get('/v1/lenses', { signal }))

/** The graph of a lens, or of the default lens. */
export const useGraph = (lens: string | undefined) =>
  useQuery(['note tag lens property', 'graph', lens], ({ signal }) =>
    lens === undefined
      ? api.get('/v1/graph', { signal })
      : api.get('/v1/lenses/{id}/graph', { params: { id: lens }, signal }),
  )

/** Notes per page, and the maximum number of pages, when reading the tags that colour the graph. */
const PAGE = 200
const MAX_PAGES = 25

/** The first tag of each note that has one, by note ID. */
export const useTagsOfNotes = () =>
  useQuery(['note tag', 'tags of notes'], async ({ signal }) => {
    const tags = new Map<string, string>()
    for (let at = 0; at < MAX_PAGES; at++) {
      const query = { limit: PAGE, offset: at * PAGE }
      const { notes, has_more } = await api.get('/v1/notes', { query, signal })
      for (const { id, tags: own } of notes) if (own[0] !== undefined) tags.set(id, own[0])
      if (!has_more) break
    }
    return tags
  })

/** The positions of the nodes, computed in a worker; `ms` is the total time once it has finished. */
export interface Layout {
  readonly graph: Graph
  readonly positions: Float32Array
  readonly ms: number | undefined
}

function requestOf({ nodes, edges }: Graph): LayoutRequest {
  const places = new Map(nodes.map(({ id }, at) => [id, at]))
  return {
    nodes: nodes.map(({ id }) => id),
    edges: edges.flatMap(({ from, to }) => {
      const [one, other] = [places.get(from), places.get(to)]
      return one === undefined || other === undefined ? [] : [[one, other] as const]
    }),
  }
}

export function useLayout(graph: Graph | undefined): Layout | undefined {
  const [layout, setLayout] = useState<Layout>()
  useEffect(() => {
    if (!graph || graph.nodes.length === 0) return
    const start = performance.now()
    const worker = startWorker('layout')
    worker.onmessage = ({ data }: MessageEvent<'ready' | LayoutResponse>) => {
      if (data === 'ready') return worker.postMessage(requestOf(graph))
      const ms = data.isDone ? performance.now() - start : undefined
      setLayout({ graph, positions: data.positions, ms })
    }
    return () => worker.terminate()
  }, [graph])
  return layout?.graph === graph ? layout : undefined
}

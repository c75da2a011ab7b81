import { isoTimestamp } from '../lib/dates.ts'
import type { Graph } from './graph.ts'
import type { Lens } from './service.ts'

export const presentLens = ({ row, scope, settings: { layers, nodes, look } }: Lens) => ({
  id: row.id,
  name: row.name,
  scope,
  settings: {
    layers: { links: layers.links, tags: layers.tags },
    nodes: { orphans: nodes.orphans, dangling: nodes.dangling },
    look: { arrows: look.arrows, titles: look.titles },
  },
  is_default: row.isDefault === 1,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

export const presentGraph = ({ nodes, edges, truncated }: Graph) => ({
  nodes: nodes.map(({ id, title, kind, degree }) => ({ id, title, kind, degree })),
  edges: edges.map(({ from, to, kind }) => ({ from, to, kind })),
  truncated,
})

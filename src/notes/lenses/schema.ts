import type { Static } from '@sinclair/typebox'
import { filterTree } from '../../http/schema/filter-tree.ts'
import { t } from '../../http/schema/types.ts'
import { MAX_NODES, NODE_KINDS } from './layout.ts'

const TITLE_MODES = ['zoom', 'always', 'never'] as const

const Settings = t.strict({
  layers: t.strict({
    links: t.Boolean({ description: 'Links between notes.', examples: [true] }),
    tags: t.Boolean({ description: 'Tags as nodes, joined to the notes that carry them.' }),
  }),
  nodes: t.strict({
    orphans: t.Boolean({ description: 'Notes without any edge.', examples: [true] }),
    dangling: t.Boolean({ description: 'Targets of links that mean no note, as nodes.' }),
  }),
  look: t.strict({
    arrows: t.Boolean({ examples: [true] }),
    titles: t.String({ enum: [...TITLE_MODES], examples: ['zoom'] }),
  }),
})

/** The contents and appearance of the graph of a lens. */
export type LensSettings = Static<typeof Settings>

export const Lens = t.strict(
  {
    id: t.id(),
    name: t.String({ examples: ['Work'] }),
    scope: t.Union([filterTree(), t.Null()], { description: 'null for the whole workspace.' }),
    settings: Settings,
    is_default: t.Boolean({ description: 'One lens always is, while there are any.', examples: [true] }),
    created_at: t.timestamp(),
    updated_at: t.timestamp(),
  },
  { $id: 'Lens', description: 'Saved settings of the graph of notes.' },
)

export const LensesResponse = t.response({ lenses: t.Array(Lens) })
export const LensResponse = t.response({ lens: Lens })
export const DeletedLensResponse = t.deletedResponse()

const name = () =>
  t.text({ minLength: 1, maxLength: 500, singleLine: true, isName: true, examples: ['Work'] })

const settings = t.Optional(
  t.strict(
    t.optional({
      layers: t.strict({ links: t.Optional(t.flag()), tags: t.Optional(t.flag()) }),
      nodes: t.strict({ orphans: t.Optional(t.flag()), dangling: t.Optional(t.flag()) }),
      look: t.strict({ arrows: t.Optional(t.flag()), titles: t.Optional(t.choice(TITLE_MODES)) }),
    }),
    {
      description: 'Merged into the current settings, one by one.',
      examples: [{ layers: { tags: true } }],
    },
  ),
)
const scope = t.Optional(
  t.Union([filterTree(), t.Null()], {
    description: 'Replaces the whole tree; null for the whole workspace.',
  }),
)

export const CreateLensBody = t.strict(
  {
    name: name(),
    scope,
    settings,
    is_default: t.Optional(
      t.flag({
        description: 'true takes it from the lens that is the default so far; the first lens always is.',
        examples: [true],
      }),
    ),
  },
  { examples: [{ name: 'Work', settings: { layers: { tags: true } } }] },
)

export const PatchLensBody = t.strict(
  {
    name: t.Optional(name()),
    scope,
    settings,
    is_default: t.Optional(
      t.flag({
        description: 'true takes it from the lens that is the default so far, which cannot give it away.',
        examples: [true],
      }),
    ),
  },
  { examples: [{ settings: { nodes: { orphans: false } } }] },
)

const GraphNode = t.strict({
  id: t.String({
    description: 'Of a note its id, of a tag `tag:<id>`, of a dangling target `dangling:<target>`.',
    examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
  }),
  title: t.String({
    description: 'The title of a note, the name of a tag, or the target in lower case.',
    examples: ['Meeting with Ada'],
  }),
  kind: t.String({ enum: [...NODE_KINDS], examples: ['note'] }),
  degree: t.integer({
    description: 'How many edges it has, those to nodes left out included.',
    examples: [2],
  }),
})

const GraphEdge = t.strict({
  from: t.String({ description: 'The note that links or is tagged.' }),
  to: t.String({ description: 'The node it is joined to; never the note itself.' }),
  kind: t.String({ enum: ['link', 'tag'], examples: ['link'] }),
})

export const GraphResponse = t.response({
  nodes: t.Array(GraphNode, { description: `The best connected first, at most ${MAX_NODES}.` }),
  edges: t.Array(GraphEdge, {
    description:
      'Between these nodes, each once: links first, each kind in the order of the notes; at most 20,000.',
  }),
  truncated: t.Boolean({ description: 'Whether nodes or edges were left out because they are too many.' }),
})

import type { ApiDescription } from './http/openapi/document.ts'
import { id, integer, text } from './http/types.ts'
import { describeDeliveries } from './webhooks/openapi.ts'

const named = (description: string, example: string) => text({ description, examples: [example] })

/** What the OpenAPI document says of the service as a whole, and of the parameters in its paths. */
export const apiDescription: ApiDescription = {
  title: 'daybook',
  version: '1.0.0',
  description:
    'Notes, typed records and webhooks of one workspace. Every call but those of the service itself carries an API key, which opens one workspace and may be read-only. Lists are paged with `limit` and `offset`; every error answers `{error, code}`.',
  license: 'MIT',
  tags: [
    { name: 'Account', description: 'Whose key this is, and what the workspace holds.' },
    { name: 'Notes', description: 'Notes with their tags, property values, links, revisions and trash.' },
    { name: 'Tags', description: 'Tags, and the tags that come along with them.' },
    { name: 'Properties', description: 'The typed values that notes may carry.' },
    { name: 'Structures', description: 'What the rows of a list look like.' },
    { name: 'Records', description: 'The rows of a structure.' },
    { name: 'Webhooks', description: 'Signed deliveries of record changes to your own address.' },
    { name: 'Presets', description: 'Sets of tags and property values to write onto a note.' },
    { name: 'Views', description: 'Saved filters over notes.' },
    { name: 'Lenses', description: 'What the graph of notes shows.' },
    { name: 'Quick Access', description: 'Notes pinned to the sidebar, in order.' },
    { name: 'Files', description: 'Files as readable text.' },
    { name: 'Service', description: 'The server itself; needs no key.' },
  ],
  pathParameters: {
    'notes/{id}': id('The note.'),
    'tags/{name}': named('The name of the tag, ignoring case.', 'work'),
    'revisions/{revisionId}': id('The revision.'),
    'tags/{id}': integer({ description: 'The number of the tag.', minimum: 1, examples: [1] }),
    'properties/{idOrKey}': named('The id or the key of the property.', 'status'),
    'structures/{nameOrId}': named('The id or the name of the structure.', 'Tasks'),
    'records/{id}': id('The record.'),
    'webhooks/{id}': id('The subscription.'),
    'deliveries/{deliveryId}': id('The delivery.'),
    'presets/{idOrName}': named('The id or the name of the preset.', 'Meeting'),
    'views/{id}': id('The view.'),
    'lenses/{id}': id('The lens.'),
    'quick-access/{id}': id('The item, or the note it pins.'),
    'files/{id}': id('The file.'),
  },
  webhooks: describeDeliveries,
}

import { DAY_MS } from '../../src/lib/dates.ts'
import { deleteFile, makeFile } from './files.ts'
import { runRetention } from './jobs.ts'
import type { TestService } from './service.ts'
import { deleteStructure } from './structures.ts'

function randomFrom(seed: number) {
  let state = seed * 2_654_435_761 + 1
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  return { below, pick, chance: (share: number) => next() < share }
}

/** Random writes of all kinds, including writes that are refused. */
export class History {
  readonly random: ReturnType<typeof randomFrom>
  #names = 0

  constructor(
    readonly service: TestService,
    seed: number,
  ) {
    this.random = randomFrom(seed)
  }

  #name = () => `n${++this.#names}`

  async #ids(path: string, name: string): Promise<string[]> {
    return (await this.service.get(path)).body[name].map(({ id }: { id: string | number }) => String(id))
  }

  async #some(path: string, name: string): Promise<string> {
    return this.random.pick([...(await this.#ids(path, name)), 'none'])
  }

  #note = () => this.#some('/v1/notes?limit=200', 'notes')
  #tag = () => this.#some('/v1/tags', 'tags')
  #structure = () => this.#some('/v1/records/structures', 'structures')

  async #record(query = ''): Promise<string> {
    return this.#some(`/v1/records?structure=${await this.#structure()}${query}`, 'records').catch(
      () => 'none',
    )
  }

  #tags = () => Array.from({ length: this.random.below(3) }, () => `t${this.random.below(6)}`)

  async #values(): Promise<Record<string, unknown>> {
    const { properties } = (await this.service.get('/v1/properties')).body
    const entries = properties
      .filter(() => this.random.chance(0.5))
      .map(({ key }: { key: string }) => [key, this.random.pick(['a', 'b', null, 5])])
    return Object.fromEntries(entries)
  }

  readonly #steps: readonly (() => Promise<unknown>)[] = [
    async () =>
      this.service.post('/v1/notes', {
        title: this.#name(),
        content: this.random.pick(['', 'text', '[[n1]]']),
        tags: this.#tags(),
        ...(this.random.chance(0.3) && { alias: `a${this.random.below(4)}` }),
        properties: await this.#values(),
      }),
    async () =>
      this.service.patch(`/v1/notes/${await this.#note()}`, {
        ...(this.random.chance(0.5) && { title: this.#name() }),
        ...(this.random.chance(0.3) && { content: this.#name() }),
        ...(this.random.chance(0.3) && { alias: this.random.pick(['a0', 'a1', null]) }),
        ...(this.random.chance(0.3) && { aliases: this.random.pick([['a2'], ['a0', 'a3'], []]) }),
        ...(this.random.chance(0.3) && { pinned: this.random.chance(0.5) }),
        ...(this.random.chance(0.3) && { tags: this.#tags() }),
      }),
    async () => this.service.post(`/v1/notes/${await this.#note()}/append`, { text: this.#name() }),
    async () => this.service.post(`/v1/notes/${await this.#note()}/edit`, { old_str: 'text', new_str: 'x' }),
    async () => this.service.delete(`/v1/notes/${await this.#note()}`),
    async () => this.service.post(`/v1/notes/${await this.#some('/v1/notes/trash', 'notes')}/restore`),
    async () => this.service.patch(`/v1/notes/${await this.#note()}/properties`, await this.#values()),
    async () => this.service.delete(`/v1/notes/${await this.#note()}/tags/t${this.random.below(6)}`),
    async () => {
      const note = await this.#note()
      const revisions = (await this.service.get(`/v1/notes/${note}/revisions`)).body.revisions ?? []
      if (revisions.length > 0)
        await this.service.post(
          `/v1/notes/${note}/revisions/${this.random.pick<{ id: string }>(revisions).id}/restore`,
        )
    },
    async () => this.service.patch(`/v1/tags/${await this.#tag()}`, { name: this.#name(), is_pinned: true }),
    async () => this.service.delete(`/v1/tags/${await this.#tag()}`),
    async () =>
      this.service.put(`/v1/tags/${await this.#tag()}/links`, {
        linked_tag_ids: [Number(await this.#tag()) || 1],
      }),
    async () =>
      this.service.post('/v1/properties', {
        key: this.#name(),
        type: 'text',
        position: this.random.below(4),
      }),
    async () =>
      this.service.patch(`/v1/properties/${await this.#some('/v1/properties', 'properties')}`, {
        key: this.#name(),
        position: this.random.below(4),
      }),
    async () => this.service.delete(`/v1/properties/${await this.#some('/v1/properties', 'properties')}`),
    async () => {
      const { properties } = (await this.service.get('/v1/properties')).body
      const ask = properties.slice(0, 1).map(({ key }: { key: string }) => ({ key, value: 'p' }))
      await this.service.post('/v1/presets', {
        name: this.#name(),
        tags: this.#tags(),
        ask,
        content: '- {{title}}',
      })
    },
    async () =>
      this.service.patch(`/v1/presets/${await this.#some('/v1/presets', 'presets')}`, {
        tags: this.#tags(),
        content: this.random.chance(0.5) ? null : this.#name(),
      }),
    async () => this.service.delete(`/v1/presets/${await this.#some('/v1/presets', 'presets')}`),
    async () =>
      this.service.post(`/v1/presets/${await this.#some('/v1/presets', 'presets')}/apply`, {
        note_id: await this.#note(),
        overwrite: true,
      }),
    async () => {
      const { properties } = (await this.service.get('/v1/properties')).body
      const display = properties.slice(0, 1).map(({ key }: { key: string }) => key)
      await this.service.post('/v1/views', {
        name: this.#name(),
        display_properties: display,
        is_default: this.random.chance(0.5),
      })
    },
    async () =>
      this.service.patch(`/v1/views/${await this.#some('/v1/views', 'views')}`, { is_default: true }),
    async () => this.service.delete(`/v1/views/${await this.#some('/v1/views', 'views')}`),
    async () => this.service.post('/v1/lenses', { name: this.#name(), is_default: this.random.chance(0.5) }),
    async () => this.service.delete(`/v1/lenses/${await this.#some('/v1/lenses', 'lenses')}`),
    async () =>
      this.service.post('/v1/quick-access', { note_id: await this.#note(), position: this.random.below(3) }),
    async () =>
      this.service.patch(`/v1/quick-access/${await this.#some('/v1/quick-access', 'items')}`, {
        position: this.random.below(3),
        icon: this.#name(),
      }),
    async () => this.service.delete(`/v1/quick-access/${await this.#some('/v1/quick-access', 'items')}`),
    async () =>
      this.service.post('/v1/records/structures', {
        name: this.#name(),
        fields: [
          { key: 'a', type: 'text', unique: true },
          { key: 'b', type: 'number' },
        ],
        ...(this.random.chance(0.2) && { max_rows: 1 }),
      }),
    async () =>
      this.service.patch(`/v1/records/structures/${await this.#structure()}`, {
        name: this.#name(),
        immutable: this.random.chance(0.2),
      }),
    async () =>
      this.service.post('/v1/records/views', {
        structure: await this.#structure(),
        name: this.#name(),
        filter: [{ field: 'b', op: 'gt', value: this.random.below(9) }],
        personal: this.random.chance(0.3),
        position: this.random.below(3),
      }),
    async () =>
      this.service.patch(`/v1/records/views/${await this.#some('/v1/records/views', 'row_views')}`, {
        sort: this.random.pick(['a', 'b', null]),
        personal: this.random.chance(0.3),
        position: this.random.below(3),
      }),
    async () =>
      this.service.delete(`/v1/records/views/${await this.#some('/v1/records/views', 'row_views')}`),
    async () =>
      this.service.post('/v1/records', {
        structure: await this.#structure(),
        rows: Array.from({ length: 1 + this.random.below(30) }, () => ({
          data: { a: String(this.random.below(40)), b: this.random.below(9) },
        })),
        on_conflict: this.random.pick(['refuse', 'update', 'update']),
      }),
    async () =>
      this.service.patch(`/v1/records/${await this.#record()}`, {
        data: { a: String(this.random.below(40)), b: this.random.pick([1, 2, null]) },
      }),
    async () => this.service.delete(`/v1/records/${await this.#record()}`),
    async () => this.service.post(`/v1/records/${await this.#record('&deleted=true')}/restore`),
    async () =>
      this.service.post('/v1/webhooks', {
        structure: await this.#structure(),
        url: 'https://hooks.example.com/x',
        enabled: false,
      }),
    async () =>
      this.service.patch(`/v1/webhooks/${await this.#some('/v1/webhooks', 'webhooks')}`, {
        description: this.#name(),
      }),
    async () => this.service.delete(`/v1/webhooks/${await this.#some('/v1/webhooks', 'webhooks')}`),
    async () => makeFile(this.service, { pages: ['one'], name: `${this.#name()}.txt` }),
    async () =>
      this.service.patch(`/v1/files/${await this.#some('/v1/files', 'files')}`, { file_name: this.#name() }),
    async () => deleteFile(this.service, await this.#some('/v1/files', 'files')),
    async () => this.random.chance(0.3) && deleteStructure(this.service, await this.#structure()),
    async () => {
      const { changes } = (await this.service.get('/v1/changes?limit=1000')).body
      if (changes.length === 0) return
      const { transaction } = this.random.pick<{ transaction: string }>(changes.slice(-100))
      await this.service.post('/v1/changes/undo', { transaction, dry_run: this.random.chance(0.2) })
    },
    async () => {
      if (this.random.chance(0.7)) return
      this.service.clock.advance(31 * DAY_MS)
      await runRetention(this.service.ctx)
    },
  ]

  /** Performs one random write. Refusals are part of a history. */
  async step(): Promise<void> {
    this.service.clock.advance(this.random.pick([0, 0, 1, 1_000]))
    await this.random
      .pick(this.#steps)()
      .catch((error) => {
        if (!String(error).includes('There is no such')) throw error
      })
  }
}

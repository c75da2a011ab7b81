export const TITLE_MODES = ['zoom', 'always', 'never'] as const

/** What the graph of a lens shows, and how. */
export interface LensSettings {
  layers: { links: boolean; tags: boolean }
  nodes: { orphans: boolean; dangling: boolean }
  look: { arrows: boolean; titles: (typeof TITLE_MODES)[number] }
}

export const DEFAULT_SETTINGS: LensSettings = {
  layers: { links: true, tags: false },
  nodes: { orphans: true, dangling: false },
  look: { arrows: true, titles: 'zoom' },
}

export type SettingsChanges = { [Part in keyof LensSettings]?: Partial<LensSettings[Part]> }

/** The settings with those that are sent changed. */
export const mergedSettings = (
  before: LensSettings,
  { layers, nodes, look }: SettingsChanges,
): LensSettings => ({
  layers: { ...before.layers, ...layers },
  nodes: { ...before.nodes, ...nodes },
  look: { ...before.look, ...look },
})

import type { ComponentType } from 'preact'

export interface Screen {
  readonly Main: ComponentType
}

/** Screens by the first part of the path, each loaded when it is first shown. */
const SCREENS: Record<string, () => Promise<Screen>> = {
  notes: () => import('./notes/screen.tsx'),
  records: () => import('./records/screen.tsx'),
  webhooks: () => import('./webhooks/screen.tsx'),
  files: () => import('./files/screen.tsx'),
  graph: () => import('./graph/screen.tsx'),
  changes: () => import('./changes/screen.tsx'),
  settings: () => import('./settings/screen.tsx'),
  inbox: () => import('./inbox/screen.tsx'),
  views: () => import('./views/screen.tsx'),
  new: () => import('./new.tsx'),
  import: () => import('./import/screen.tsx'),
}

/** The page title of a screen. */
export const titleOf = (name: string): string =>
  name === 'records'
    ? 'Tables'
    : Object.hasOwn(SCREENS, name)
      ? name.charAt(0).toUpperCase() + name.slice(1)
      : 'Not found'

export const findScreen = (name: string): Promise<Screen> =>
  ((Object.hasOwn(SCREENS, name) && SCREENS[name]) || (() => import('./not-found.tsx')))()

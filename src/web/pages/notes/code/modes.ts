import type { StreamParser } from '@codemirror/language'

export type Mode = StreamParser<unknown>

const clike = () => import('@codemirror/legacy-modes/mode/clike')
const css = () => import('@codemirror/legacy-modes/mode/css')
const javascript = () => import('@codemirror/legacy-modes/mode/javascript')
const xml = () => import('@codemirror/legacy-modes/mode/xml')

/** Languages of code blocks by their names and aliases. Each mode is loaded on first use. */
const MODES: Readonly<Record<string, () => Promise<Mode>>> = {
  'c h': async () => (await clike()).c,
  'cpp c++ cc hpp': async () => (await clike()).cpp,
  'cs csharp c#': async () => (await clike()).csharp,
  css: async () => (await css()).css,
  dart: async () => (await clike()).dart,
  'diff patch': async () => (await import('@codemirror/legacy-modes/mode/diff')).diff,
  'docker dockerfile': async () => (await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile,
  'go golang': async () => (await import('@codemirror/legacy-modes/mode/go')).go,
  'html svg': async () => (await xml()).html,
  'ini properties env': async () => (await import('@codemirror/legacy-modes/mode/properties')).properties,
  java: async () => (await clike()).java,
  'js javascript jsx mjs': async () => (await javascript()).javascript,
  'json jsonc json5': async () => (await javascript()).json,
  'kotlin kt': async () => (await clike()).kotlin,
  less: async () => (await css()).less,
  lua: async () => (await import('@codemirror/legacy-modes/mode/lua')).lua,
  nginx: async () => (await import('@codemirror/legacy-modes/mode/nginx')).nginx,
  'powershell ps1': async () => (await import('@codemirror/legacy-modes/mode/powershell')).powerShell,
  'py python': async () => (await import('@codemirror/legacy-modes/mode/python')).python,
  'rb ruby': async () => (await import('@codemirror/legacy-modes/mode/ruby')).ruby,
  'rs rust': async () => (await import('@codemirror/legacy-modes/mode/rust')).rust,
  'scss sass': async () => (await css()).sCSS,
  'sh bash shell zsh console': async () => (await import('@codemirror/legacy-modes/mode/shell')).shell,
  'sql sqlite postgres mysql': async () => (await import('@codemirror/legacy-modes/mode/sql')).sqlite,
  swift: async () => (await import('@codemirror/legacy-modes/mode/swift')).swift,
  toml: async () => (await import('@codemirror/legacy-modes/mode/toml')).toml,
  'ts typescript tsx mts': async () => (await javascript()).typescript,
  xml: async () => (await xml()).xml,
  'yaml yml': async () => (await import('@codemirror/legacy-modes/mode/yaml')).yaml,
}

const modes = new Map(
  Object.entries(MODES).flatMap(([words, load]) => words.split(' ').map((word) => [word, load] as const)),
)

/** Returns the function that loads the mode of a language. */
export const modeNamed = (name: string): (() => Promise<Mode>) | undefined => modes.get(name)

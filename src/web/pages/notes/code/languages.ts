import { type Language, StreamLanguage, type StreamParser } from '@codemirror/language'
import type { Parser } from '@lezer/common'

type Mode = StreamParser<unknown>

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

const names = new Map(
  Object.entries(MODES).flatMap(([words, load]) => words.split(' ').map((word) => [word, load] as const)),
)

const loaded = new Map<() => Promise<Mode>, Language | Promise<Language>>()

/** The language of a fence's info string: the language if loaded, a promise while loading, undefined if unknown. */
export function languageNamed(info: string): Language | Promise<Language> | undefined {
  const load = names.get(/^[^\s{,:]*/.exec(info.toLowerCase())?.[0] ?? '')
  if (!load) return undefined
  const known = loaded.get(load)
  if (known) return known
  const loading = load().then((mode) => {
    const language = StreamLanguage.define(mode)
    loaded.set(load, language)
    for (const call of listeners) call()
    return language
  })
  loaded.set(load, loading)
  loading.catch(() => loaded.delete(load))
  return loading
}

const listeners = new Set<() => void>()

/** Calls a listener whenever a language has been loaded. Returns the function that removes it. */
export function onLanguage(call: () => void): () => void {
  listeners.add(call)
  return () => listeners.delete(call)
}

/** The parser of fenced code; null until its language is loaded. */
export function codeParser(info: string): Parser | null {
  const language = languageNamed(info)
  return language && !('then' in language) ? language.parser : null
}

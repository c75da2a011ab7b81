import { posix } from 'node:path'
import { unzipSync } from 'fflate'
import { Parser } from 'htmlparser2'
import { markedEncoding } from '../../../lib/decoders.ts'
import { oneLine, Unreadable } from '../pages.ts'

/*
 * Office Open XML, the format of Word, Excel and PowerPoint documents: a ZIP package of XML parts with relationships.
 */

const MAX_UNPACKED_BYTES = 134_217_728

const damaged = () =>
  new Unreadable('The file is not a whole document of its kind, or it is protected by a password.')

export type Parts = ReadonlyMap<string, Uint8Array>

/** Unpacks the parts whose names match; throws Unreadable when they exceed 128 MiB. */
export function openPackage(bytes: Uint8Array, wanted: RegExp): Parts {
  let unpacked = 0
  const isWanted = ({ name, originalSize }: { name: string; originalSize: number }) => {
    if (!wanted.test(name)) return false
    unpacked += originalSize
    if (unpacked > MAX_UNPACKED_BYTES) throw new Unreadable('The file unpacks to more than 128 MiB.')
    return true
  }
  try {
    return new Map(Object.entries(unzipSync(bytes, { filter: isWanted })))
  } catch (error) {
    throw error instanceof Unreadable ? error : damaged()
  }
}

/** A required part; throws Unreadable when it is missing. */
export function partOf(parts: Parts, name: string): Uint8Array {
  const part = parts.get(name)
  if (!part) throw damaged()
  return part
}

export type Attributes = Readonly<Record<string, string>>

/** Callbacks for elements, named without their prefixes, and text. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1)

/** The value of an attribute, whatever its prefix. */
export function attributeOf(attributes: Attributes, name: string): string | undefined {
  for (const key in attributes) if (withoutPrefix(key) === name) return attributes[key]
  return undefined
}

const CHUNK = 65_536

/**
 * Parses XML in chunks. Throws Unreadable for a truncated part, or a part with a DOCTYPE, which no Office program
 * writes.
 */
export function readXml(bytes: Uint8Array, handler: XmlHandler): void {
  let depth = 0
  let isEmpty = true
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1
        isEmpty = false
        handler.open?.(withoutPrefix(name), attributes)
      },
      onclosetag: (name) => {
        depth -= 1
        handler.close?.(withoutPrefix(name))
      },
      ontext: (text) => handler.text?.(text),
      onprocessinginstruction: (name) => {
        if (name.toLowerCase() === '!doctype') throw damaged()
      },
    },
    { xmlMode: true },
  )
  const decoder = new TextDecoder(markedEncoding(bytes) === 'utf-16le' ? 'utf-16le' : 'utf-8')
  for (let at = 0; at < bytes.length; at += CHUNK) {
    parser.write(decoder.decode(bytes.subarray(at, at + CHUNK), { stream: true }))
  }
  parser.write(decoder.decode())
  if (depth !== 0 || isEmpty) throw damaged()
  parser.end()
}

/** The relationships of a part: the names of the target parts by relationship id. */
export function relationshipsOf(parts: Parts, name: string): Map<string, string> {
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  const relationships = parts.get(`${folder}_rels/${name.slice(folder.length)}.rels`)
  const targets = new Map<string, string>()
  if (!relationships) return targets
  readXml(relationships, {
    open: (element, attributes) => {
      const { Id: id, Target: target } = attributes
      if (element !== 'Relationship' || id === undefined || target === undefined) return
      targets.set(id, target.startsWith('/') ? target.slice(1) : posix.join(folder, target))
    },
  })
  return targets
}

/** The value of the attribute `id` with a prefix, which names a relationship. */
export function relationshipId(attributes: Attributes): string | undefined {
  for (const key in attributes) if (key.endsWith(':id')) return attributes[key]
  return undefined
}

/** A chart stores the texts of its cells in one of these. */
const CACHES = new Set(['strCache', 'multiLvlStrCache'])

/** Elements after which a line ends: a paragraph, a cell of a chart, a comment. */
const LINES = new Set(['p', 'pt', 'comment'])

/** The texts of a chart, a diagram or the comments of a sheet, each once. */
function labelsOf(part: Uint8Array): Set<string> {
  const labels = new Set<string>()
  let line = ''
  let caches = 0
  let isText = false
  readXml(part, {
    open: (name) => {
      if (CACHES.has(name)) caches += 1
      isText = name === 't' || (name === 'v' && caches > 0)
    },
    close: (name) => {
      isText = false
      if (CACHES.has(name)) caches -= 1
      if (!LINES.has(name)) return
      if (line.trim() !== '') labels.add(oneLine(line))
      line = ''
    },
    text: (text) => {
      if (isText) line += text
    },
  })
  return labels
}

/** The texts of the parts, among those named by `wanted`, that belong to a slide or sheet. */
export function relatedLabels(parts: Parts, name: string, wanted: RegExp): string[] {
  const related = [...new Set(relationshipsOf(parts, name).values())].filter((target) => wanted.test(target))
  return related.flatMap((target) => {
    const part = parts.get(target)
    return part ? [...labelsOf(part)] : []
  })
}

import { posix } from 'node:path'
import { unzipSync } from 'fflate'
import { Parser } from 'htmlparser2'
import { Unreadable } from './document.ts'
import { markedEncoding } from './plain.ts'

/*
 * What the documents of Word, Excel and PowerPoint have in common: a ZIP package of XML parts that name each other.
 */

const MOST_INFLATED = 134_217_728

const broken = () =>
  new Unreadable('The file is not a whole document of its kind, or it is protected by a password.')

/** The parts of a package by their names. */
export type Parts = ReadonlyMap<string, Uint8Array>

/** Unpacks the parts that are asked for; refuses more than 128 MiB of them. */
export function openPackage(bytes: Uint8Array, wanted: RegExp): Parts {
  let inflated = 0
  const isWanted = ({ name, originalSize }: { name: string; originalSize: number }) => {
    if (!wanted.test(name)) return false
    inflated += originalSize
    if (inflated > MOST_INFLATED) throw new Unreadable('The file unpacks to more than 128 MiB.')
    return true
  }
  try {
    return new Map(Object.entries(unzipSync(bytes, { filter: isWanted })))
  } catch (error) {
    throw error instanceof Unreadable ? error : broken()
  }
}

/** A part that no document of the kind is without. */
export function partOf(parts: Parts, name: string): Uint8Array {
  const part = parts.get(name)
  if (!part) throw broken()
  return part
}

export type Attributes = Readonly<Record<string, string>>

/** Told of elements by their names without prefixes. */
export interface XmlReader {
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

/** Reads XML piece by piece. Refuses a part that is cut off, and one that defines entities, as no program writes any. */
export function readXml(bytes: Uint8Array, reader: XmlReader): void {
  let depth = 0
  let isEmpty = true
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1
        isEmpty = false
        reader.open?.(withoutPrefix(name), attributes)
      },
      onclosetag: (name) => {
        depth -= 1
        reader.close?.(withoutPrefix(name))
      },
      ontext: (text) => reader.text?.(text),
      onprocessinginstruction: (name) => {
        if (name.toLowerCase() === '!doctype') throw broken()
      },
    },
    { xmlMode: true },
  )
  const decoder = new TextDecoder(markedEncoding(bytes) === 'utf-16le' ? 'utf-16le' : 'utf-8')
  for (let at = 0; at < bytes.length; at += CHUNK) {
    parser.write(decoder.decode(bytes.subarray(at, at + CHUNK), { stream: true }))
  }
  parser.write(decoder.decode())
  if (depth !== 0 || isEmpty) throw broken()
  parser.end()
}

/** Where the relationships of a part lead: the names of other parts by their ids. `folder` is where the part lies. */
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

/** The id of a relationship: the attribute `id` with a prefix. */
export function relationshipId(attributes: Attributes): string | undefined {
  for (const key in attributes) if (key.endsWith(':id')) return attributes[key]
  return undefined
}

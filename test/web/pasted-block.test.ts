import { describe, expect, test } from 'bun:test'
import { type Data, namingKeys } from '../../src/web/pages/records/paste/naming-keys.ts'

const covered = (held: Data, data: Data) => ({ record: { data: held }, data })
const UNIQUE = { fields: [{ key: 'ref', unique: true }], unique_together: [] }
const TOGETHER = { fields: [{ key: 'ref', unique: false }], unique_together: [['year', 'number']] }

describe('the fields that name the rows which a block is written over', () => {
  test('are a unique field that the block does not change', () => {
    expect(namingKeys(UNIQUE, [covered({ ref: 'A' }, { bike: 'x' })], [])).toEqual(['ref'])
    expect(namingKeys(UNIQUE, [covered({ ref: 'A' }, { ref: 'A', bike: 'x' })], [])).toEqual(['ref'])
    expect(namingKeys(UNIQUE, [covered({ ref: 'A' }, { ref: 'B' })], [])).toBeUndefined()
    expect(namingKeys(UNIQUE, [covered({ ref: 'A' }, { ref: null })], [])).toBeUndefined()
  })

  test('are fields that are unique together', () => {
    const over = covered({ year: 2026, number: 7 }, { bike: 'x' })
    expect(namingKeys(TOGETHER, [over], [])).toEqual(['year', 'number'])
    expect(namingKeys(TOGETHER, [over, covered({ year: 2026 }, { bike: 'y' })], [])).toBeUndefined()
  })

  test('are none where a row has no value in them', () => {
    expect(namingKeys(UNIQUE, [covered({ ref: 'A' }, {}), covered({}, {})], [])).toBeUndefined()
  })

  test('are none where a new row of the block could be taken for one that exists', () => {
    const over = [covered({ ref: 'A' }, { ref: 'A', bike: 'x' })]
    expect(namingKeys(UNIQUE, over, [{ ref: 'Z', bike: 'y' }])).toBeUndefined()
    expect(namingKeys(UNIQUE, over, [{ ref: null, bike: 'y' }])).toEqual(['ref'])
  })
})

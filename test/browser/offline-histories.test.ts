import { describe, expect, test } from 'bun:test'
import { hasBrowser, sharedBrowser } from '../support/browser.ts'
import { caseCount, hasManyCases, RANDOM_CASES_MS } from '../support/counts.ts'
import { Lane } from '../support/offline-history.ts'

const HISTORIES = caseCount(2, 1_000)
/** The number of concurrent histories. A history waits for half of its time. */
const LANES = 2
/** Enough for one history on a busy machine. */
const HISTORY_MS = 60_000
/** The first seed, to repeat failed histories. */
const FIRST = Number(Bun.env.DAYBOOK_TEST_SEED ?? 0)

describe.skipIf(!hasBrowser)('two devices and a program that write to one note and one row', () => {
  test(
    "lose and duplicate nothing, whatever is cut, killed or restored, and finally show the server's state",
    async () => {
      const browser = await sharedBrowser()
      const seeds = Array.from({ length: HISTORIES }, (_, at) => FIRST + at)
      const failures: string[] = []
      const runLane = async () => {
        let lane: Lane | undefined
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift())
          try {
            if (!lane) {
              lane = new Lane(browser)
              await lane.start()
            }
            await lane.run(seed)
            if (hasManyCases) process.stdout.write(`history ${seed} passed\n`)
          } catch (error) {
            const failure = `history ${seed}: ${lane?.trail}\n${(error as Error).stack}`
            if (hasManyCases) process.stdout.write(`${failure}\n`)
            failures.push(failure)
            await lane?.close()
            lane = undefined
          }
        await lane?.close()
      }
      await Promise.all(Array.from({ length: LANES }, runLane))
      expect(failures).toEqual([])
    },
    Math.max(RANDOM_CASES_MS, HISTORIES * HISTORY_MS),
  )
})

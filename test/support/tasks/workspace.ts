import { expect } from 'bun:test'
import { untilMembers, untilSetupLink } from '../screens/members.ts'
import { untilClients, untilConfiguration } from '../screens/settings.ts'
import { ADDRESS, untilSecret, untilWebhookForm } from '../screens/webhooks.ts'
import { makeOrders, type Task } from './task.ts'

export const WORKSPACE_TASKS: readonly Task[] = [
  {
    does: 'turns the page dark, and back',
    run: async (desk) => {
      const { keys, page } = desk
      const choose = async (key: 'End' | 'Home', scheme: string) => {
        await keys.press(key)
        await page.waitForFunction(
          (wanted) => document.documentElement.style.colorScheme === wanted,
          {},
          scheme,
        )
      }
      await desk.go('settings/appearance')
      await page.waitForSelector('#appearance select')
      await keys.skip()
      await keys.reach('Theme')
      await choose('End', 'dark')
      await choose('Home', '')
    },
  },
  {
    does: 'finds how an agent is connected',
    run: async (desk) => {
      const { keys, page, app } = desk
      await desk.go('settings/agents')
      await untilClients(page)
      await keys.skip()
      await keys.reach('Client')
      await keys.type('Cursor')
      await untilConfiguration(page, 'Cursor', `${app.server.url}/mcp`)
      await keys.reach('Copy')
    },
  },
  {
    does: 'adds a member',
    run: async (desk) => {
      const { keys, page, number, app } = desk
      await desk.go('settings/members')
      await untilMembers(page)
      await keys.skip()
      await keys.fill('New member’s name', `Mira ${number}`)
      await keys.press('Enter')
      await untilSetupLink(page)
      await desk.says(`Mira ${number}`)
      expect(app.problems).toEqual([])
    },
  },
  {
    does: 'takes back what somebody else changed',
    run: async (desk) => {
      const { keys, app } = desk
      const table = await makeOrders(desk, 1)
      const rows = async () => (await app.server.get(`/v1/records?structure=${table}`)).body.records
      const [{ id }] = await rows()
      await app.server.patch(`/v1/records/${id}`, { data: { title: 'Wrong' } })
      await desk.go('changes?kind=record')
      await desk.says('Wrong')
      await keys.skip()
      await keys.enter('Undo…')
      await desk.says('It can be undone.')
      await keys.enter(/^Undo (it|1|the)/)
      await desk.until(async () => (await rows())[0].data.title === 'Order 1')
    },
  },
  {
    does: 'makes a subscription, and sees its secret',
    run: async (desk) => {
      const { keys, page, app, number } = desk
      await makeOrders(desk, 1)
      for (const { id } of (await app.server.get('/v1/webhooks')).body.webhooks)
        await app.server.delete(`/v1/webhooks/${id}`)
      await desk.go('webhooks')
      await desk.says('New webhook')
      await keys.skip()
      await keys.enter('New webhook')
      await untilWebhookForm(page)
      await keys.fill(ADDRESS, `https://127.0.0.1:9/${number}`)
      await keys.press('Enter')
      await untilSecret(page)
      expect((await app.server.get('/v1/webhooks')).body.webhooks).toHaveLength(1)
    },
  },
  {
    does: 'maps an event of a source onto a field',
    run: async (desk) => {
      const { keys, app, number } = desk
      const table = await makeOrders(desk, 1)
      const body = {
        name: `Shop ${number}`,
        structure: table,
        provider: 'none',
        options: { unverified: true },
      }
      const { source } = (await app.server.post('/v1/sources', body)).body
      const { id, url } = source
      await fetch(`${app.server.url}${new URL(url).pathname}`, { method: 'POST', body: '{"what":"A bowl"}' })
      await desk.go(`webhooks/in/${id}`)
      await desk.says('A bowl')
      await keys.skip()
      await keys.enter(/^what/)
      await keys.enter('Save')
      await desk.until(
        async () => (await app.server.get(`/v1/sources/${id}`)).body.source.map.title !== undefined,
      )
      await app.server.delete(`/v1/sources/${id}`)
    },
  },
]

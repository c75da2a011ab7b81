import { expect, test } from 'bun:test'
import { ownCredential } from '../../../src/kernel/call.ts'
import { addNamedUser, createUserKey, setMemberAccess } from '../../../src/people/administration.ts'
import { signedIn } from '../../support/browser-client.ts'
import { declare } from '../../support/records.ts'
import { startService } from '../../support/service.ts'

test('a command refuses access to a structure that was deleted since it found the id', async () => {
  const service = await startService()
  const owner = await signedIn(service)
  const costs = (await declare(service, 'Costs', [{ key: 'what', type: 'text' }])).id
  const { kernel } = service.ctx
  const credential = ownCredential('nothing')
  const member = { name: 'mira', workspace: undefined, role: 'editor', origin: '' } as const
  await kernel.call(addNamedUser, credential, member)
  expect((await owner.request('DELETE', `/app/api/structures/${costs}`, { name: 'Costs' })).status).toBe(200)
  const named = { workspace: undefined, access: { structures: { [costs]: 'read' } } } as const
  const key = { ...named, user: 'mira', name: 'site', scope: 'write', expiresAt: null } as const
  const grants = [
    () => kernel.call(createUserKey, credential, key),
    () => kernel.call(setMemberAccess, credential, { ...named, name: 'mira' }),
  ]
  for (const grant of grants)
    await expect(Promise.resolve<unknown>(grant())).rejects.toThrow('no structure with this id')
  service.close()
})

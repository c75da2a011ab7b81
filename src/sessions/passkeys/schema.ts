import { t } from 'elysia'
import { flag, id, members, response, strict, text, timestamp } from '../../http/schema/types.ts'

const passkeyName = () => text({ minLength: 1, maxLength: 200, trimmed: true, singleLine: true })

/** What a browser makes of options, as its `toJSON()` writes it. */
export const sentByBrowser = () =>
  members({ description: 'The credential of the browser, as its toJSON() writes it.' })

export const NewPasskeyBody = strict({ name: passkeyName(), response: sentByBrowser() })
export const PasskeyNameBody = strict({ name: passkeyName() })

export const Passkey = strict({
  id: id(),
  name: t.String(),
  created_at: timestamp(),
  last_used_at: t.Union([timestamp(), t.Null()]),
  synced: flag(),
})

export const PasskeyResponse = response({ passkey: Passkey })
export const PasskeysResponse = response({ passkeys: t.Array(Passkey) })
/** `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
export const OptionsResponse = response({ challenge: t.String() }, { additionalProperties: true })

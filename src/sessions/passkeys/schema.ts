import { t } from '../../http/schema/types.ts'

const passkeyName = () => t.text({ minLength: 1, maxLength: 200, trimmed: true, singleLine: true })

/** What a browser makes of options, as its `toJSON()` writes it. */
export const sentByBrowser = () =>
  t.members({ description: 'The credential of the browser, as its toJSON() writes it.' })

export const NewPasskeyBody = t.strict({ name: passkeyName(), response: sentByBrowser() })
export const PasskeyNameBody = t.strict({ name: passkeyName() })

export const Passkey = t.strict({
  id: t.id(),
  name: t.String(),
  created_at: t.timestamp(),
  last_used_at: t.Union([t.timestamp(), t.Null()]),
  synced: t.flag(),
})

export const PasskeyResponse = t.response({ passkey: Passkey })
export const PasskeysResponse = t.response({ passkeys: t.Array(Passkey) })
/** `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
export const OptionsResponse = t.response({ challenge: t.String() }, { additionalProperties: true })

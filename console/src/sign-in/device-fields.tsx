// The fields of a form that signs a person in on this device: its name, and whether they stay signed in.

import { DEVICE_NAME_MAX } from "../../../src/domain/basics/text-limits.ts";
import { Field } from "../shared/parts/field.tsx";
import { t } from "../shared/texts/language.ts";
import { nameDevice } from "./device-name.ts";

export function DeviceFields() {
  const texts = t().join;
  return (
    <>
      <Field
        label={texts.device}
        hint={texts.deviceHint}
        name="device"
        maxLength={DEVICE_NAME_MAX}
        defaultValue={nameDevice(navigator)}
        autocomplete="off"
        dir="auto"
      />
      <div class="field remember">
        <label>
          <input type="checkbox" name="remember" defaultChecked aria-describedby="stay-hint" />
          {texts.stay}
        </label>
        <small id="stay-hint">{texts.stayHint}</small>
      </div>
    </>
  );
}

export function readDevice(fields: FormData): { device?: string; isRemembered: boolean } {
  const device = String(fields.get("device")).trim();
  return { ...(device !== "" && { device }), isRemembered: fields.has("remember") };
}

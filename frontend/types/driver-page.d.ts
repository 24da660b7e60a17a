// Types that only the page of the driver's app needs. Its service worker renders nothing.

interface CodeReader {
  read(picture: HTMLVideoElement | ImageBitmap): Promise<Code[]>;
  close(): void;
}

type Child = Node | string | number | boolean | null | undefined | Child[];
interface Attributes {
  onclick?: (event: MouseEvent) => unknown;
  onchange?: (event: Event) => unknown;
  onsubmit?: (event: SubmitEvent) => unknown;
  [name: string]: string | number | boolean | null | undefined | ((event: never) => unknown);
}

// Supported by some browsers, and not declared by TypeScript.
interface MediaTrackCapabilities {
  torch?: boolean;
}
interface MediaTrackConstraintSet {
  torch?: boolean;
}
interface NavigatorUAData {
  platform: string;
}
interface Navigator {
  userAgentData?: NavigatorUAData;
  connection?: { saveData: boolean };
}

interface CodeDetector {
  detect(picture: ImageBitmapSource): Promise<{ rawValue: string; format: string }[]>;
}
declare var BarcodeDetector: { new (given: { formats: string[] }): CodeDetector; getSupportedFormats(): Promise<string[]> } | undefined;

interface HTMLElementTagNameMap {
  "x-map": HTMLElement;
}

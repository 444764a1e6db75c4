// A widget as a notebook hands it to its view, and the notebook around it as far as figures look at it.

/** What anywidget hands to `render`. */
export interface KernelModel {
  get(trait: string): any;
  set(trait: string, value: unknown): void;
  save_changes(): void;
  send(message: unknown): void;
  on(events: string, listener: (...args: any[]) => void): void;
  off(events: string, listener: (...args: any[]) => void): void;
  widget_manager?: WidgetManager;
}

/** JupyterLab's manager of widgets; other notebooks' have no `context`. */
export interface WidgetManager {
  context?: NotebookContext;
  get_state_sync?(options: { drop_defaults: boolean }): { state: WidgetStates };
}

/** The notebook that a figure is in, as JupyterLab has it; hosts built from its parts may have less. */
export interface NotebookContext {
  saveState?: Signal;
  sessionContext?: { statusChanged: Signal };
  model: {
    getMetadata(name: string): any;
    setMetadata(name: string, value: unknown): void;
    cells: Iterable<NotebookCell>;
  };
}

interface Signal {
  connect(listener: SignalListener): void;
  disconnect(listener: SignalListener): void;
}

export type SignalListener = (sender: unknown, status: string) => void;

export interface NotebookCell {
  outputs?: { length: number; get(place: number): { data: Record<string, any> } };
}

interface WidgetState {
  model_module: string;
  state: Record<string, any>;
}

export type WidgetStates = Record<string, WidgetState>;

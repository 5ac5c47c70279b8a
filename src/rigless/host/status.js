// The small page of the control API: time, state and ground truth as they are, and pause, resume, step.
const $ = (id) => document.getElementById(id);

function connect() {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws?truth_hz=5`);
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === "status") {
      $("state").textContent = `${message.name}: ${message.state}, ${message.pace === "real" ? `${message.speed}×` : message.pace}`;
    } else if (message.type === "truth") {
      $("time").textContent = `${message.time_s.toFixed(2)} s`;
      const boxes = Object.entries(message.robots).map(([name, truth]) => {
        const box = document.createElement("pre");
        box.textContent = `${name}\n${JSON.stringify(truth, null, 2)}`;
        return box;
      });
      $("robots").replaceChildren(...boxes);
    }
  };
  socket.onclose = () => {
    $("time").textContent = "connection lost; trying again…";
    setTimeout(connect, 1000);
  };
}

for (const button of document.querySelectorAll("button[data-call]")) {
  button.addEventListener("click", () =>
    fetch(`/api/${button.dataset.call}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: button.dataset.call === "step" ? "{}" : null }));
}
connect();
